/* SPDX-License-Identifier: Apache-2.0 */
/* A program that uses OpenMP by itself, and calls nothing of Teamwork, which it is only linked with: the functions for
   devices behave as OpenMP says. It succeeds if so. "images": it was compiled for an offload device. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int errors;

static void check(int holds, const char *what)
{
    if (!holds) {
        printf("not so: %s\n", what);
        ++errors;
    }
}

static void look_at(int device, int *x)
{
    int *memory = omp_target_alloc(sizeof *x, device);
    check(memory != NULL, "omp_target_alloc() gives memory");
    check(omp_target_memcpy(memory, x, sizeof *x, 0, 0, device, omp_get_initial_device()) == 0,
          "a copy to it succeeds");
    *x = 0;
    check(omp_target_memcpy(x, memory, sizeof *x, 0, 0, omp_get_initial_device(), device) == 0,
          "a copy from it succeeds");
    omp_target_free(memory, device);
}

int main(int argc, char **argv)
{
    const int has_images = argc > 1 && strcmp(argv[1], "images") == 0;
    const int devices = omp_get_num_devices(), host = omp_get_initial_device();
    check(has_images ? devices > 0 : devices == 0, "there are as many devices as images have");
    check(host == devices, "the host has the number behind that of the devices");
    int x = 5, on_host = 0;
    look_at(host, &x);
    check(x == 5, "copies within the host keep the contents");
    check(omp_target_is_present(&x, host), "memory of the host is present there");
    check(omp_get_mapped_ptr(&x, host) == &x, "memory of the host has its own address there");
    for (int device = 0; device < devices; ++device) {
        look_at(device, &x);
        check(x == 5, "copies to a device and from it keep the contents");
        check(!omp_target_is_present(&x, device), "what is not mapped is not present");
    }
#pragma omp target enter data map(to : x)
#pragma omp target map(always, tofrom : x) map(from : on_host)
    {
        on_host = omp_is_initial_device();
        x += 1;
    }
#pragma omp target exit data map(from : x)
    check(x == 6, "a target region runs once");
    check(on_host == !has_images, "a target region runs where there is an image for it");
#pragma omp parallel
#pragma omp single
#pragma omp task shared(x)
    x += 1;
    check(x == 7, "a task runs once");
    return errors != 0;
}
