import type { VideoContent } from '../../catalog/model/entities.ts';
import type { VideoEvent } from '../../catalog/model/video-events.ts';

export type VastLinks = ReturnType<typeof vastLinks>;

/** Where players report what happened to an ad. @param base the address of this service */
export const vastLinks = (base: string, token: string) => ({
  impression: `${base}/impression?t=${token}`,
  /** Counts a click, and redirects to the destination of the creative where it has one. */
  click: `${base}/click?t=${token}`,
  event: (type: VideoEvent | 'viewable') => `${base}/event?t=${token}&type=${type}`,
  /** With the macro that players fill in. */
  error: `${base}/event?t=${token}&type=error&code=[ERRORCODE]`,
});

export interface VastAd extends VideoContent {
  /** Unique for this showing. */
  readonly servingId: string;
  readonly creativeId: number;
  /** The destination of the creative; null: none. */
  readonly clickUrl: string | null;
  /** Its domain; null: not known. */
  readonly advertiser: string | null;
  /** Its place in a pod, from 1; undefined: it is alone. */
  readonly sequence?: number | undefined;
  readonly links: VastLinks;
}
