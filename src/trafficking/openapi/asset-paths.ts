import { ASSET_PAGE, MAX_FILE_NAME_LENGTH } from '../../assets/asset-routes.ts';
import { MAX_OFFSET } from '../../bookings/list-query.ts';
import { jsonAnswer, LINK, pageQuery, problems, query, READ_PROBLEMS, WRITE_PROBLEMS, type Paths } from './operation.ts';
import { listOf, ref, text } from '../../api/schema.ts';

const ofPublisher = (description: string): object => query('publisher_id', { type: 'integer' }, description);
const binary = { schema: { type: 'string', format: 'binary' } };

/** Files of creatives. */
export const assetPaths = (): Paths => ({
  '/api/assets': {
    put: {
      operationId: 'storeAsset',
      tags: ['creatives'],
      summary: 'Store a picture or an HTML5 ad, of at most 2 MB, under the hash of its bytes',
      parameters: [
        ofPublisher('Whose limit of stored bytes it counts against'),
        query('name', { ...text, maxLength: MAX_FILE_NAME_LENGTH }, 'The name of the file, for lists'),
      ],
      requestBody: {
        required: true,
        description: 'The bytes. The type is read from them: PNG, JPEG, GIF, WebP, AVIF, SVG without scripts, or a zip with index.html.',
        content: { 'application/octet-stream': binary, 'image/*': binary, 'application/zip': binary },
      },
      responses: {
        201: jsonAnswer('Stored; the same answer when it was stored before', ref('Asset')),
        ...problems('invalid_request', 'body_too_large', 'unsupported_media', 'assets_full', ...WRITE_PROBLEMS),
      },
    },
    get: {
      operationId: 'listAssets',
      tags: ['creatives'],
      summary: 'The stored files, newest first',
      parameters: [
        ofPublisher('Only files of this publisher'),
        query('include', { type: 'string', enum: ['uses'] }, 'Adds which creatives use each file; the service reads all creatives for it'),
        ...pageQuery(ASSET_PAGE, MAX_OFFSET),
      ],
      responses: {
        200: jsonAnswer('A page of them', listOf(ref('Asset')), { 'X-Total-Count': { schema: { type: 'integer' } }, ...LINK }),
        ...problems('invalid_request', ...READ_PROBLEMS),
      },
    },
  },
  '/api/assets/{sha256}': {
    parameters: [{ name: 'sha256', in: 'path', required: true, schema: text }],
    delete: {
      operationId: 'deleteAsset',
      tags: ['creatives'],
      summary: 'Delete a file that no creative uses',
      responses: { 204: { description: 'Deleted; caches may keep it' }, ...problems('not_found', ...WRITE_PROBLEMS) },
    },
  },
});
