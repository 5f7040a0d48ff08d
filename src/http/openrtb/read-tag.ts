import type { CreativeFormat } from '../../catalog/model/choices.ts';
import type { VideoRules } from '../../catalog/model/video-rules.ts';
import type { Fault } from '../../base/fault.ts';
import type { AuctionTerms } from '../../decision/ad-query.ts';
import { valueFault, type DimensionSchema } from '../../targeting/dimension-schema.ts';
import type { WireAdRequest } from './ad-request-schema.ts';

/** A plain tag: the query of its address. Parameters are documented in docs/tags.md. */
export interface ReadTag {
  readonly placementId: string;
  /** Names the recipient of a mail, for one decision of image and click; '': not given. */
  readonly recipient: string;
  readonly toRequest: (publisherId: number) => WireAdRequest;
}

const MAX_ID_LENGTH = 128;
const MAX_SIZES = 20;
const MAX_KEY_VALUES = 50;
const MAX_KEY_VALUE_LENGTH = 256;
const MAX_SIDE = 10_000;
/** The one impression of a tag. */
export const TAG_IMP = '1';

/** A macro that the page or the mailing did not fill: `{{recipient}}`, `${GDPR}`, `%%GPP%%`, `[CACHEBUSTER]`, `*|EMAIL|*`. */
const UNFILLED = /^(\$?\{.*\}|%%.*%%|\[.*\]|\*\|.*\|\*)$/s;

/** Reads a tag leniently, as pages and mailings fill it: only the placement must be there. */
export const readTag = (query: URLSearchParams, dimensions: DimensionSchema): ReadTag | { readonly faults: readonly Fault[] } => {
  const given = (name: string): string | undefined => {
    const value = query.get(name);
    return value === null || value === '' || UNFILLED.test(value) ? undefined : value;
  };
  const placementId = given('placement');
  if (placementId === undefined || placementId.length > MAX_ID_LENGTH)
    return { faults: [{ pointer: '/placement', detail: `must be the id of a placement, of 1 to ${MAX_ID_LENGTH} characters` }] };
  const recipient = given('n') ?? '';
  if (recipient.length > MAX_ID_LENGTH) return { faults: [{ pointer: '/n', detail: `must have at most ${MAX_ID_LENGTH} characters` }] };
  const sections = given('gpp_sid')?.split(',').map(Number);
  return {
    placementId,
    recipient,
    toRequest: (publisherId) => ({
      id: TAG_IMP,
      imp: [{ id: TAG_IMP, tagid: placementId, banner: { format: sizesOf(given('size') ?? '') } }],
      user: { ...(recipient !== '' && { id: recipient }), consent: given('gdpr_consent') },
      regs: {
        gdpr: given('gdpr'),
        gpp: given('gpp'),
        gpp_sid: sections,
        us_privacy: given('us_privacy'),
        coppa: given('coppa'),
      },
      site: { page: given('page'), ref: given('ref') },
      ext: { publisher_id: publisherId, kv: keyValuesOf(query, dimensions) },
    }),
  };
};

/** `728x90,320x50` */
const sizesOf = (text: string): readonly { readonly w: number; readonly h: number }[] =>
  [...text.matchAll(/(\d{1,5})x(\d{1,5})/gi)]
    .slice(0, MAX_SIZES)
    .map(([, w, h]) => ({ w: Number(w), h: Number(h) }))
    .filter(({ w, h }) => w > 0 && h > 0 && w <= MAX_SIDE && h <= MAX_SIDE);

/** `kv.section=news`, repeated for several values. A value outside the schema of its dimension is left out. */
const keyValuesOf = (query: URLSearchParams, dimensions: DimensionSchema): Readonly<Record<string, readonly string[]>> => {
  const kept = new Map<string, string[]>();
  for (const [parameter, text] of query) {
    const name = parameter.startsWith('kv.') ? parameter.slice('kv.'.length) : '';
    if (name === '' || name.length > MAX_KEY_VALUE_LENGTH || text.length > MAX_KEY_VALUE_LENGTH || UNFILLED.test(text)) continue;
    const dimension = dimensions.get(name);
    if (dimension && valueFault(dimension, text) !== undefined) continue;
    const values = kept.get(name);
    if (values) values.push(text);
    else if (kept.size < MAX_KEY_VALUES) kept.set(name, [text]);
  }
  return Object.fromEntries([...kept].map(([name, values]) => [name, values.slice(0, MAX_KEY_VALUES)]));
};

/** What a tag can show: a frame has no template for native assets, and an image is a banner's. */
export const tagTerms = (formats: readonly CreativeFormat[], video?: VideoRules): ReadonlyMap<string, AuctionTerms> =>
  new Map([
    [
      TAG_IMP,
      {
        ...{ floorMicros: 0, deals: undefined, formats, native: undefined, vast: video?.vast, video },
        ...{ disclosed: false, selfDisclosed: false, blocked: undefined, battr: [] },
      },
    ],
  ]);
