/* SPDX-License-Identifier: Apache-2.0 */
/* A launch of Floyd and Warshall's algorithm in OpenCL: the distances, and behind them the nodes that paths go
   through. */

kernel void one_node(global int *distance, uint nodes, uint node)
{
    const uint j = get_global_id(0), i = get_global_id(1);
    global int *through = distance + nodes * nodes;
    const int way = distance[i * nodes + node] + distance[node * nodes + j];
    if (way < distance[i * nodes + j]) {
        distance[i * nodes + j] = way;
        through[i * nodes + j] = node;
    }
}
