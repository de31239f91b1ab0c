#!/usr/bin/env python3
"""Draws frames of a dive into the Mandelbrot set: grey pictures (PGM), one file for each frame.

render.py FIRST COUNT FOLDER    draws COUNT frames from number FIRST on into FOLDER, and ends
render.py --serve FOLDER        says "ready", then reads lines FIRST COUNT, draws these frames into
                                FOLDER and answers "done"
"""

import os
import sys

WIDTH, HEIGHT = 48, 32
CENTRE = complex(-0.743643887037151, 0.131825904205330)


def steps_to_escape(c, most):
    z = 0j
    for step in range(most):
        if z.real * z.real + z.imag * z.imag > 4.0:
            return step
        z = z * z + c
    return most


def draw(frame, folder):
    pixel = 0.03 * 0.96**frame
    most = 40 + frame
    rows = []
    for y in range(HEIGHT):
        for x in range(WIDTH):
            c = CENTRE + complex((x - WIDTH / 2) * pixel, (y - HEIGHT / 2) * pixel)
            rows.append(255 - 255 * steps_to_escape(c, most) // most)
    with open(os.path.join(folder, f"frame{frame:04}.pgm"), "wb") as picture:
        picture.write(b"P5 %d %d 255\n" % (WIDTH, HEIGHT) + bytes(rows))


def draw_all(first, count, folder):
    os.makedirs(folder, exist_ok=True)
    for frame in range(first, first + count):
        draw(frame, folder)


if sys.argv[1] == "--serve":
    print("ready", flush=True)
    for line in sys.stdin:
        draw_all(*map(int, line.split()), sys.argv[2])
        print("done", flush=True)
else:
    draw_all(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
