import type { Creative } from '../catalog/model/entities.ts';

/** The size at which an impression is shown, in CSS pixels. */
export interface SlotSize {
  readonly width: number;
  readonly height: number;
}

/** A creative with a size of its own must fit into the slot; one without fits any. */
export const fitsSlot = (creative: Creative, { width, height }: SlotSize): boolean =>
  (creative.width === null || creative.width <= width) && (creative.height === null || creative.height <= height);
