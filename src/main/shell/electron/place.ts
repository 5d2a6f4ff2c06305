import { z } from '../../../shared/zod';

/** Where the window was, so that it comes back there. In device-independent pixels; without x and y: in the middle. */
export type Place = { width: number; height: number; maximized: boolean } & (
  { x: number; y: number } | object
);

const placeSchema = z.object({
  x: z.int().optional(),
  y: z.int().optional(),
  width: z.int().min(1).max(100_000),
  height: z.int().min(1).max(100_000),
  maximized: z.boolean(),
});

export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

export const MIN_SIZE = { width: 640, height: 480 };
const FIRST_SIZE = { width: 1280, height: 800 };
/** This much of the window's top must be on a screen, or nobody could take hold of it. */
const HANDLE = { width: 120, height: 32 };

/** What was remembered, made to fit the screens that are there now. */
export function fitPlace(remembered: unknown, screens: readonly Area[]): Place {
  const parsed = placeSchema.safeParse(remembered);
  const first = screens[0];
  const fit = (size: number, least: number, most: number | undefined) =>
    Math.max(least, Math.min(size, most ?? size));
  if (!parsed.success) {
    return {
      width: fit(FIRST_SIZE.width, MIN_SIZE.width, first?.width),
      height: fit(FIRST_SIZE.height, MIN_SIZE.height, first?.height),
      maximized: false,
    };
  }
  const { x, y, maximized } = parsed.data;
  const screen = screens.find(
    (area) => x !== undefined && y !== undefined && holds(area, x, y, parsed.data.width),
  );
  const width = fit(parsed.data.width, MIN_SIZE.width, (screen ?? first)?.width);
  const height = fit(parsed.data.height, MIN_SIZE.height, (screen ?? first)?.height);
  if (!screen || x === undefined || y === undefined) return { width, height, maximized };
  return { x, y, width, height, maximized };
}

function holds(area: Area, x: number, y: number, width: number): boolean {
  const shown = Math.min(x + width, area.x + area.width) - Math.max(x, area.x);
  return shown >= HANDLE.width && y >= area.y && y + HANDLE.height <= area.y + area.height;
}
