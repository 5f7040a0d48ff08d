import { count, integer, moment, orNull, record, text, type Schema } from '../../api/schema.ts';

const withUses = (asset: Schema): Schema => ({ ...asset, properties: { ...(asset['properties'] as object), used_by: uses } });

const uses = record(
  {
    total: count,
    first: { anyOf: [record({ id: integer, name: text }), { type: 'null' }], description: 'the first by id' },
  },
  { readOnly: true, description: 'the creatives that use it; only with `include=uses`' },
);

/** A stored file. */
export const ASSET_SCHEMAS = {
  Asset: withUses(
    record({
      url: { ...text, description: 'a picture, or the page of an HTML5 ad; a path while neither PUBLIC_URL nor ASSETS_URL is set' },
      sha256: text,
      publisher_id: orNull('integer'),
      name: text,
      type: { ...text, description: 'media type of what url answers' },
      width: orNull('integer', { description: 'null: the HTML5 ad does not state its size (meta ad.size)' }),
      height: orNull('integer'),
      bytes: { ...integer, description: 'of the upload' },
      created_at: moment,
    }),
  ),
};
