import type { Page } from '../../page.ts';
import type { BookingDesk } from './booking-desk.ts';
import type { DroppedFiles } from './dropped-files.ts';

/** What is open on the screen: line items, their groups, and the rest of a group. */
export interface Opened {
  has(name: string): boolean;
  toggle(name: string, to?: boolean): void;
}

export interface ItemRowContext {
  readonly page: Page;
  readonly desk: BookingDesk;
  readonly opened: Opened;
  readonly files: DroppedFiles;
}
