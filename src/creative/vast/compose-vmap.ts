import type { VastVersion } from '../../catalog/model/video-rules.ts';
import { element, writeXml, type ElementRules } from './xml.ts';

/** A break of a film, and the tag that its player asks when it comes. */
export interface AdBreak {
  /** VMAP 1.0.1, 3.3.1. */
  readonly timeOffset: string;
  readonly id: string;
  readonly tag: string;
}

/** IAB VMAP 1.0.1, in the order of its schema. */
const ELEMENTS: ElementRules = {
  'vmap:VMAP': { children: ['vmap:AdBreak'], attributes: ['xmlns:vmap', 'version'] },
  'vmap:AdBreak': { children: ['vmap:AdSource'], attributes: ['timeOffset', 'breakType', 'breakId'] },
  'vmap:AdSource': { children: ['vmap:AdTagURI'], attributes: ['id', 'allowMultipleAds', 'followRedirects'] },
  'vmap:AdTagURI': { attributes: ['templateType'] },
};

/** Its schema has names up to VAST 3, and players take this one for every later version. */
const TEMPLATES: Readonly<Record<VastVersion, string>> = { '2.0': 'vast2', '3.0': 'vast3', '4.2': 'vast3' };

/** The breaks of a film. Nothing is held before a player asks for a break. */
export const composeVmap = (version: VastVersion, breaks: readonly AdBreak[]): string => {
  const content = breaks.flatMap(({ timeOffset, id, tag }, i) =>
    element(
      'vmap:AdBreak',
      element('vmap:AdSource', element('vmap:AdTagURI', tag, { templateType: TEMPLATES[version] }), {
        id: i + 1,
        allowMultipleAds: true,
        followRedirects: true,
      }),
      { timeOffset, breakType: 'linear', breakId: id },
    ),
  );
  const attributes = { 'xmlns:vmap': 'http://www.iab.net/videosuite/vmap', version: '1.0' };
  return `<?xml version="1.0" encoding="UTF-8"?>${writeXml({ name: 'vmap:VMAP', attributes, content }, ELEMENTS)}`;
};
