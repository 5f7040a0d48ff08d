import { Unsafe } from '@sinclair/typebox';
import { component } from '../api/component.ts';
import { LINK, TOTAL } from '../api/openapi-document.ts';
import { pagedList } from '../api/paged-list.ts';
import { choiceQuery, idQuery, textInPath, textQuery } from '../api/parameters.ts';
import { at, created, defineRoutes, noContent, ownBody } from '../api/route.ts';
import * as s from '../base/schema.ts';
import { MAX_VIDEO_BYTES } from '../catalog/model/asset-rules.ts';

const MAX_FILE_NAME_LENGTH = 256;

const USES = s.record(
  {
    total: s.count,
    first: s.nullOr(s.record({ id: s.integer, name: s.text }), { description: 'the first by id' }),
  },
  { readOnly: true, description: 'the creatives that use it; only with `include=uses`' },
);

const HASH_EXAMPLE = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

/** A stored file. */
const ASSET = component(
  'Asset',
  s.record({
    url: s.described(s.text, 'the file, or the page of an HTML5 ad; a path while neither PUBLIC_URL nor ASSETS_URL is set'),
    sha256: s.text,
    publisher_id: s.orNull(s.integer, { description: 'null: of none, or of one that the caller does not see' }),
    name: s.described(s.text, "'' where others of the same bytes stored it first"),
    type: s.described(s.text, 'media type of what url answers'),
    width: s.orNull(s.integer, { description: 'null: an HTML5 ad that does not state its size (meta ad.size), a sound or captions' }),
    height: s.orNull(s.integer),
    bytes: s.described(s.integer, 'of the upload'),
    duration_ms: s.orNull(s.integer, { description: 'of a video or a sound' }),
    bitrate_kbps: s.orNull(s.integer, { description: 'of a video or a sound, on average' }),
    codec: s.orNull(s.text, { description: 'of a video or a sound, as RFC 6381 names it where its container does' }),
    created_at: s.moment,
    used_by: s.optional(USES),
  }),
  {
    url: `https://ads.example.com/static/assets/${HASH_EXAMPLE}.png`,
    ...{ sha256: HASH_EXAMPLE, publisher_id: 1, name: 'boots.png', type: 'image/png', width: 300, height: 250, bytes: 41_300 },
    ...{ duration_ms: null, bitrate_kbps: null, codec: null },
    created_at: '2026-10-14T12:00:00.000Z',
  },
);

export type AssetWire = s.Shape<typeof ASSET>;

/** The page sends a Blob; the handler reads the stream. */
const BINARY = Unsafe<Blob>({ type: 'string', format: 'binary' });
const binary = { schema: BINARY };

const ofPublisher = (description: string) => idQuery('publisher', description);

/** Files of creatives. */
export const ASSET_API = defineRoutes({
  storeAsset: {
    ...at('PUT', '/api/assets', 'creatives'),
    needs: 'creatives.write',
    reach: 'own',
    summary: 'Store a picture or an HTML5 ad of at most 2 MB, a video of at most 16 MB, a sound or captions, under the hash of its bytes',
    parameters: {
      publisher_id: ofPublisher('Whose limit of stored bytes it counts against'),
      name: textQuery('The name of the file, for lists', { maxLength: MAX_FILE_NAME_LENGTH }),
    },
    body: ownBody(BINARY, {
      description:
        'The bytes. The type is read from them: PNG, JPEG, GIF, WebP, AVIF, SVG without scripts, a zip with index.html, MP4, WebM, MP3, Ogg, or WebVTT.',
      content: {
        ...{ 'application/octet-stream': binary, 'image/*': binary, 'application/zip': binary },
        ...{ 'video/*': binary, 'audio/*': binary, 'text/vtt': binary },
      },
      maxBytes: MAX_VIDEO_BYTES,
      raw: true,
    }),
    answer: created('Stored; the same answer when it was stored before', ASSET),
    problems: ['body_too_large', 'unsupported_media', 'assets_full', 'unavailable'],
  },
  listAssets: {
    ...at('GET', '/api/assets', 'creatives'),
    needs: 'records.read',
    reach: 'own',
    cost: 'list',
    summary: 'The stored files, newest first',
    ...pagedList(
      'A page of them',
      ASSET,
      {
        publisher_id: ofPublisher('Only files of this publisher'),
        include: choiceQuery(['uses'], 'Adds which creatives use each file; the service reads all creatives for it'),
      },
      { headers: { ...TOTAL, ...LINK } },
    ),
  },
  deleteAsset: {
    ...at('DELETE', '/api/assets/{sha256}', 'creatives'),
    needs: 'bookings.write',
    reach: 'publishers',
    summary: 'Delete a file that no creative uses',
    parameters: { sha256: textInPath('file') },
    answer: noContent('Deleted; caches may keep it'),
  },
});
