/* SPDX-License-Identifier: Apache-2.0 */
/* The window, through SDL2. Without SDL2 there is none. */
#include "view.h"

#ifdef LIFE_HAVE_SDL2

#include <SDL.h>
#include <stdio.h>

#include "run.h"

enum { WINDOW_SIDE = 1024 }; /* most pixels in each direction; the board is scaled to it */

struct view {
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture;
    bool open, halted, step;
};

bool view_is_built(void)
{
    return true;
}

static bool fail(const char *what)
{
    fprintf(stderr, "life: %s: %s\n", what, SDL_GetError());
    return false;
}

static bool open_window(struct view *view, const struct board_shape *shape)
{
    const double scale = (double)WINDOW_SIDE / (shape->rows > shape->columns ? shape->rows : shape->columns);
    const int width = (int)(scale * shape->columns), height = (int)(scale * shape->rows);
    if (SDL_Init(SDL_INIT_VIDEO) != 0)
        return fail("SDL2 does not start");
    view->window = SDL_CreateWindow("Life", SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED, width ? width : 1,
                                    height ? height : 1, SDL_WINDOW_RESIZABLE);
    if (!view->window)
        return fail("no window");
    view->renderer = SDL_CreateRenderer(view->window, -1, SDL_RENDERER_PRESENTVSYNC);
    if (!view->renderer)
        return fail("no renderer");
    view->texture = SDL_CreateTexture(view->renderer, SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_STREAMING,
                                      shape->columns, shape->rows);
    if (!view->texture)
        return fail("no texture as large as the board");
    return SDL_RenderSetLogicalSize(view->renderer, shape->columns, shape->rows) == 0 || fail("no scaling");
}

static void close_window(struct view *view)
{
    if (view->texture)
        SDL_DestroyTexture(view->texture);
    if (view->renderer)
        SDL_DestroyRenderer(view->renderer);
    if (view->window)
        SDL_DestroyWindow(view->window);
    SDL_Quit();
}

static bool draw(struct view *view, const struct board *board)
{
    void *pixels;
    int bytes_per_row;
    if (SDL_LockTexture(view->texture, NULL, &pixels, &bytes_per_row) != 0)
        return fail("the texture cannot be written");
    for (int r = 0; r < board->shape.rows; ++r) {
        const cell *cells = board->cells + board_at(board->shape.pitch, (size_t)r, 0);
        Uint32 *row = (Uint32 *)(void *)((char *)pixels + (ptrdiff_t)r * bytes_per_row);
        for (int c = 0; c < board->shape.columns; ++c)
            row[c] = cells[c] ? 0xff101418u : 0xfff4f4f0u;
    }
    SDL_UnlockTexture(view->texture);
    SDL_RenderClear(view->renderer);
    SDL_RenderCopy(view->renderer, view->texture, NULL, NULL);
    SDL_RenderPresent(view->renderer);
    return true;
}

static void take_events(struct view *view)
{
    for (SDL_Event event; SDL_PollEvent(&event);) {
        if (event.type == SDL_QUIT)
            view->open = false;
        if (event.type != SDL_KEYDOWN)
            continue;
        switch (event.key.keysym.sym) {
        case SDLK_q:
        case SDLK_ESCAPE:
            view->open = false;
            break;
        case SDLK_SPACE:
            view->halted = !view->halted;
            break;
        case SDLK_RIGHT:
            view->step = true;
            break;
        default:
            break;
        }
    }
}

bool view_run(struct world *world, struct board *board)
{
    struct view view = {NULL, NULL, NULL, true, false, false};
    bool well = open_window(&view, &world->shape) && run_check(world_read(world, board), "view");
    while (well && view.open) {
        well = draw(&view, board);
        take_events(&view);
        if (well && (!view.halted || view.step))
            well =
                run_check(world_submit(world, WORLD_TILES, 1), "view") && run_check(world_read(world, board), "view");
        view.step = false;
    }
    close_window(&view);
    return well;
}

#else

#include <stdio.h>

bool view_is_built(void)
{
    return false;
}

bool view_run(struct world *world, struct board *board)
{
    (void)world, (void)board;
    fprintf(stderr, "life: --view: this program was built without SDL2\n");
    return false;
}

#endif
