/* SPDX-License-Identifier: Apache-2.0 */
/* In the place of a profiler that NVTX loads (NVTX_INJECTION64_PATH): prints the ranges of domains. */
#include <stdio.h>

#include <nvtx3/nvToolsExt.h>

static int push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes)
{
    (void)domain;
    fprintf(stderr, "push %s\n", attributes->message.ascii);
    return 0;
}

static int pop(nvtxDomainHandle_t domain)
{
    (void)domain;
    fprintf(stderr, "pop\n");
    return 0;
}

static nvtxDomainHandle_t create(const char *name)
{
    static char domain;
    fprintf(stderr, "domain %s\n", name);
    return (nvtxDomainHandle_t)(void *)&domain;
}

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table);

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table)
{
    const NvtxExportTableCallbacks *callbacks = get_table(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table = NULL;
    unsigned size = 0;
    if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size)
        || size <= NVTX_CBID_CORE2_DomainCreateA)
        return 0;
    *table[NVTX_CBID_CORE2_DomainRangePushEx] = (NvtxFunctionPointer)push;
    *table[NVTX_CBID_CORE2_DomainRangePop] = (NvtxFunctionPointer)pop;
    *table[NVTX_CBID_CORE2_DomainCreateA] = (NvtxFunctionPointer)create;
    return 1;
}
