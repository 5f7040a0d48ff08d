import { component } from '../api/component.ts';
import { at, defineRoutes, jsonBody, ok } from '../api/route.ts';
import * as s from '../base/schema.ts';
import { CREATIVE_FORMATS } from '../catalog/model/choices.ts';
import { MAX_CONTENT_LENGTH } from '../catalog/entities/creative.ts';
import { MAX_CREATIVE_BYTES } from './entity-api.ts';

const LOOKED_AT = component(
  'CreativeToCheck',
  s.closedRecord({
    format: s.oneOf(CREATIVE_FORMATS),
    content: s.textOf({ maxLength: MAX_CONTENT_LENGTH }),
    click_url: s.withDefault(s.orNull(s.text), null),
  }),
  {
    format: 'html',
    content: '<a href="https://boots.example/"><img src="http://boots.example/boots.png" alt="Boots"></a>',
    click_url: null,
  },
);
const FINDING = component(
  'CreativeFinding',
  s.record({ pointer: s.text, detail: s.described(s.text, 'What a platform would object to, and the remedy') }),
  {
    ...{ pointer: '/content', detail: 'loads http://boots.example/boots.png without encryption, which pages refuse: use https' },
  },
);

/** What a platform would object to in a creative. */
export const CREATIVE_CHECK_API = defineRoutes({
  checkCreative: {
    ...at('POST', '/api/creative_checks', 'creatives'),
    ...{ needs: 'records.read', reach: 'any', asks: true },
    summary: 'What a platform would object to in a creative: weight, movement, clicks, loads without encryption, contrast, sound',
    body: jsonBody(LOOKED_AT, 'The creative has faults.', { maxBytes: MAX_CREATIVE_BYTES }),
    answer: ok('The same as in `warnings` of a write; empty: nothing', s.listOf(FINDING)),
  },
});
