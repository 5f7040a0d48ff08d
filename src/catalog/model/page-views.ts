/** What a page is looked at with. */
export const PAGE_DEVICES = ['desktop', 'phone'] as const;
export type PageDevice = (typeof PAGE_DEVICES)[number];

/** The colours that a visitor prefers. */
export const PAGE_SCHEMES = ['light', 'dark'] as const;
export type PageScheme = (typeof PAGE_SCHEMES)[number];

/** Where an ad is on a picture of its page. */
export interface PlaceOnPicture {
  /** The address of the picture. */
  readonly picture: string;
  /** In pixels of the picture. */
  readonly left: number;
  readonly top: number;
  /** Pixels of the picture for each CSS pixel of the ad. */
  readonly scale: number;
}
