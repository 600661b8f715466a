/* SPDX-License-Identifier: Apache-2.0 */
/* The machine as hwloc sees it (topology.h). Knows nothing of Teamwork. */
#include "topology.h"

#include <string.h>

#include <hwloc.h>

/* Writes what an object has besides its type: "8192KB", the model of a processor, or the class of a PCI device. */
static void describe(hwloc_obj_t object, char *text, size_t bytes)
{
    const char *model = hwloc_obj_get_info_by_name(object, "CPUModel");
    if (!model)
        model = hwloc_obj_get_info_by_name(object, "PCIDevice");
    text[0] = '\0';
    if (model)
        snprintf(text, bytes, "%s", model);
    else if (object->name)
        snprintf(text, bytes, "%s", object->name);
    else
        hwloc_obj_attr_snprintf(text, bytes, object, " ", 0);
}

static size_t memory_of(hwloc_obj_t object)
{
    if (hwloc_obj_type_is_cache(object->type))
        return object->attr->cache.size;
    return object->type == HWLOC_OBJ_NUMANODE ? object->attr->numanode.local_memory : 0;
}

/* Returns true for what kernels run on or go through. Of PCI devices these are GPUs and accelerators: classes 03 and
   12. */
static bool is_wanted(hwloc_obj_t object)
{
    if (object->type == HWLOC_OBJ_PCI_DEVICE)
        return object->attr->pcidev.class_id >> 8 == 0x03 || object->attr->pcidev.class_id >> 8 == 0x12;
    return object->type != HWLOC_OBJ_OS_DEVICE && object->type != HWLOC_OBJ_BRIDGE && object->type != HWLOC_OBJ_MISC;
}

static void report_object(struct report *report, hwloc_topology_t topology, hwloc_obj_t object, unsigned depth);

static void report_children(struct report *report, hwloc_topology_t topology, hwloc_obj_t object, unsigned depth)
{
    const hwloc_obj_t lists[] = {object->memory_first_child, object->first_child, object->io_first_child};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i)
        for (hwloc_obj_t child = lists[i]; child; child = child->next_sibling)
            report_object(report, topology, child, depth);
}

static void write_line(hwloc_obj_t object, const char *type, const char *text, bool allowed, unsigned depth)
{
    const size_t bytes = memory_of(object);
    char size[16];
    printf("    %*s%s", (int)(2 * depth), "", type);
    if (object->os_index != HWLOC_UNKNOWN_INDEX)
        printf(" %u", object->os_index);
    if (bytes) {
        report_format_bytes(bytes, size);
        printf(": %s", size);
    } else if (*text) {
        printf(": %s", text);
    }
    printf("%s\n", allowed ? "" : " (not for this process)");
}

static void report_object(struct report *report, hwloc_topology_t topology, hwloc_obj_t object, unsigned depth)
{
    char type[64], text[256], processors[256] = "";
    if (!is_wanted(object)) { /* GPUs are behind bridges */
        report_children(report, topology, object, depth);
        return;
    }
    hwloc_obj_type_snprintf(type, sizeof type, object, 0);
    describe(object, text, sizeof text);
    const bool allowed = !object->cpuset || hwloc_bitmap_iszero(object->cpuset)
                         || hwloc_bitmap_intersects(object->cpuset, hwloc_topology_get_allowed_cpuset(topology));
    if (!report->json) {
        write_line(object, type, text, allowed, depth);
        report_children(report, topology, object, depth + 1);
        return;
    }
    if (object->cpuset)
        hwloc_bitmap_list_snprintf(processors, sizeof processors, object->cpuset);
    report_begin(report, '{', NULL, NULL);
    report_text(report, "type", type);
    if (object->os_index != HWLOC_UNKNOWN_INDEX)
        report_number(report, "index", object->os_index, NULL);
    if (*text)
        report_text(report, "description", text);
    if (memory_of(object))
        report_number(report, "bytes", memory_of(object), NULL);
    if (*processors)
        report_text(report, "processors", processors);
    report_bool(report, "allowed", allowed);
    if (object->arity || object->memory_arity || object->io_arity) {
        report_begin(report, '[', "children", NULL);
        report_children(report, topology, object, depth + 1);
        report_end(report, ']');
    }
    report_end(report, '}');
}

bool topology_report(struct report *report)
{
    /* Kept until the program ends: what hwloc's plugin for PCI allocates is lost when it is unloaded. */
    static hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return false;
    const bool loaded = hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) == 0
                        && hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) == 0
                        && hwloc_topology_load(topology) == 0;
    if (loaded) {
        report_begin(report, '[', "topology", "Topology of the machine");
        report_object(report, topology, hwloc_get_root_obj(topology), 0);
        report_end(report, ']');
    }
    return loaded;
}
