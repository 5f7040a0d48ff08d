import { numberOf, textOf, textOrNull } from './typed-text.ts';
import type { Draft } from './form.ts';
import type { Store } from '../service/store.ts';
import type { CreativeWire } from '../service/wire.ts';

/** Assets of native ads that have a field of their own; others are kept and can be edited as JSON. */
export const NATIVE_ASSETS = ['title', 'description', 'brand', 'image', 'sponsored', 'offer', 'click', 'background'] as const;

export const creativeDraft = (creative: Partial<CreativeWire>, store: Store): Draft => {
  const items = store.all('line_items');
  const places = store.all('placements');
  const placementId = creative.placement_id ?? (places.length === 1 ? places[0]?.id : undefined);
  const format = creative.format ?? store.find('placements', placementId)?.formats[0] ?? 'html';
  return {
    line_item_id: textOf(creative.line_item_id ?? (items.length === 1 ? items[0]?.id : '')),
    placement_id: textOf(placementId),
    format,
    content: textOf(creative.content),
    as_json: false,
    advertiser_domain: textOf(creative.advertiser_domain),
    width: textOf(creative.width),
    height: textOf(creative.height),
    click_url: textOf(creative.click_url),
  };
};

export const creativeRecord = (draft: Draft): object => ({
  line_item_id: numberOf(draft['line_item_id']),
  placement_id: textOf(draft['placement_id']),
  format: draft['format'],
  content: textOf(draft['content']),
  advertiser_domain: textOrNull(draft['advertiser_domain']),
  width: numberOf(draft['width']),
  height: numberOf(draft['height']),
  click_url: textOrNull(draft['click_url']),
});

/** The content as an object, or undefined when it is none; empty text is an empty object. */
export const assetsOf = (content: unknown): Readonly<Record<string, unknown>> | undefined => {
  const text = textOf(content).trim();
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Half-typed JSON is the usual case here: the form then shows it as text.
    return undefined;
  }
};

/** The content with one asset changed; an empty one is taken out. */
export const withAsset = (content: unknown, name: string, value: unknown): string => {
  const { [name]: _, ...others } = assetsOf(content) ?? {};
  const isEmpty = value === '' || value === undefined || (Array.isArray(value) && value.length === 0);
  return JSON.stringify(isEmpty ? others : { ...assetsOf(content), [name]: value }, undefined, 2);
};
