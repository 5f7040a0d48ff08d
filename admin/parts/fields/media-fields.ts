import { html, nothing, type TemplateResult } from 'lit-html';
import type { AssetWire } from '../../../src/assets/asset-api.ts';
import { ASSET_PATH } from '../../../src/catalog/model/asset-rules.ts';
import { typeOfEnd } from '../../../src/catalog/model/types-of-ends.ts';
import { AUDIO_TYPES, VIDEO_TYPES } from '../../../src/catalog/model/video-ad.ts';
import { fileField } from '../../assets/file-field.ts';
import type { Form } from '../../bookings/forms/form.ts';
import { numberOf, textOf } from '../../bookings/forms/typed-text.ts';
import type { Page } from '../../page.ts';
import { assetPath, mediaFacts } from '../../words/asset-words.ts';
import { t } from '../../words/texts.ts';
import { button } from '../parts.ts';
import { select } from '../select.ts';
import { assetsForm } from './assets-form.ts';
import { assetsOf, withAsset, type Assets } from './content-assets.ts';
import { contentList, type ContentRow } from './content-list.ts';
import { input } from './input.ts';
import { EXTRA_ASSETS, playerExtras } from './player-extras.ts';
import { numberField, textField } from './text-field.ts';

/** What has a field; the rest of the content is kept and can be edited as JSON. */
const FIELDS: readonly string[] = ['media', 'duration', 'skip_after', 'captions', 'poster', 'tag', ...EXTRA_ASSETS];

/** The fields of what a player plays: files, length, captions and poster, or the VAST tag of another server. */
export const mediaFields =
  (format: 'video' | 'audio') =>
  (form: Form, page: Page, assets: Assets): TemplateResult => {
    const isVideo = format === 'video';
    // Reads the current content, not the rendered one: two changes may come before the next rendering.
    const now = (): Assets => assetsOf(form.read('/content')) ?? {};
    const write = (name: string, value: unknown): void => form.write('/content', withAsset(form.read('/content'), name, value));
    const [media, captions] = [contentList(form, 'media'), contentList(form, 'captions')];
    const onStored = (asset: AssetWire): void => {
      media.add(mediaOf(asset, isVideo));
      if ((now()['duration'] ?? null) === null && asset.duration_ms !== null) write('duration', asset.duration_ms / 1000);
    };
    // `1.` is being typed; another text that is no number is kept as it is, for the checks to name.
    const numbers: Form = {
      ...assetsForm(form),
      write: (pointer, typed) => write(pointer.slice(1), /[.,]$/.test(textOf(typed)) ? typed : (numberOf(typed) ?? '')),
    };
    const others = Object.keys(assets).filter((name) => !FIELDS.includes(name));
    const types: readonly string[] = isVideo ? VIDEO_TYPES : AUDIO_TYPES;
    const row = (file: ContentRow, at: number): TemplateResult =>
      html`<div class="image-row media-row">
        ${ASSET_PATH.test(textOf(file['url'])) ? stored(file) : addressed(file, at)}
        ${button('×', () => media.remove(at), 'quiet icon-button', t`Remove file ${at + 1}`)}
      </div>`;
    const addressed = (file: ContentRow, at: number): TemplateResult => html`
      ${input({
        label: t`Address of file ${at + 1}`,
        inputMode: 'url',
        placeholder: 'https://…',
        value: textOf(file['url']),
        onChange: (url) => media.change(at, { url, ...(textOf(file['type']) === '' && { type: typeOf(url, types) }) }),
      })}
      ${select(
        t`Type of file ${at + 1}`,
        textOf(file['type']),
        types.map((type) => [type, type]),
        (type) => media.change(at, { type }),
      )}
      ${
        isVideo
          ? (['width', 'height'] as const).map((side) =>
              input({
                label: side === 'width' ? t`Width of file ${at + 1}` : t`Height of file ${at + 1}`,
                inputMode: 'numeric',
                placeholder: side === 'width' ? t`width` : t`height`,
                value: textOf(file[side]),
                onChange: (typed) => media.change(at, { [side]: numberOf(typed) }),
              }),
            )
          : nothing
      }
    `;
    return html`
      ${fileField(form, page, { name: 'media', what: isVideo ? t`a video` : t`a sound`, accepts: format, onStored })}
      <fieldset class="field wide">
        <legend>${t`Files`}</legend>
        ${media.rows.length === 0 ? html`<p class="help">${t`None yet. Players choose the file that they can play.`}</p>` : nothing}
        ${media.rows.map(row)}
        ${button(t`+ Add a file by its address`, () => media.add({ url: '', type: types[0], ...(isVideo && { width: null, height: null }) }), 'quiet')}
      </fieldset>
      ${numberField(numbers, { pointer: '/duration', label: t`Length`, suffix: t`seconds`, inputMode: 'decimal', help: t`Read from an uploaded file.` })}
      ${numberField(numbers, { pointer: '/skip_after', label: t`Can be skipped after`, suffix: t`seconds`, placeholder: t`never`, inputMode: 'decimal' })}
      <details class="wide" ?open=${captions.rows.length > 0 || textOf(assets['poster']) !== ''}>
        <summary>${t`Captions and poster`}</summary>
        ${fileField(form, page, {
          name: 'captions',
          what: t`captions`,
          accepts: 'captions',
          onStored: (asset) => captions.add({ url: assetPath(asset), language: '' }),
        })}
        ${captions.rows.map(
          (caption, at) =>
            html`<div class="image-row media-row">
              <code class="media-name">${shortName(textOf(caption['url']))}</code>
              ${input({ label: t`Language of captions ${at + 1}`, placeholder: t`language, such as en`, value: textOf(caption['language']), onChange: (language) => captions.change(at, { language }) })}
              ${button('×', () => captions.remove(at), 'quiet icon-button', t`Remove captions ${at + 1}`)}
            </div>`,
        )}
        ${fileField(form, page, { name: 'poster', what: t`a poster`, accepts: 'pictures', onStored: (asset) => write('poster', assetPath(asset)) })}
        ${textField(assetsForm(form), { pointer: '/poster', label: t`Address of the poster`, inputMode: 'url', help: t`A picture before it plays.` })}
      </details>
      ${playerExtras(form, page, assets)}
      <details class="wide" ?open=${textOf(assets['tag']) !== ''}>
        <summary>${t`The VAST tag of another server, in place of files`}</summary>
        ${textField(assetsForm(form), { pointer: '/tag', label: t`VAST tag`, inputMode: 'url', placeholder: 'https://…', help: t`The answer is a wrapper around it; leave files and length out.` })}
      </details>
      ${others.length > 0 ? html`<p class="wide help">${t`Also in the content, kept as it is: ${others.join(', ')}.`}</p>` : nothing}
      <div class="wide field-faults" aria-live="polite">${form.faultsAt('/content').map((fault) => html`<p>${fault}</p>`)}</div>
    `;
  };

/** What the service reads from the file; it fills this in again when the creative is saved. */
const mediaOf = (asset: AssetWire, isVideo: boolean): ContentRow => ({
  ...{ url: assetPath(asset), type: asset.type },
  ...(isVideo && { width: asset.width, height: asset.height }),
  ...(asset.bitrate_kbps !== null && { bitrate: asset.bitrate_kbps }),
  ...(asset.codec !== null && { codec: asset.codec }),
  bytes: asset.bytes,
});

const stored = (file: ContentRow): TemplateResult =>
  html`<span class="media-file"
    ><code class="media-name">${shortName(textOf(file['url']))}</code> <small>${mediaFacts(file)}</small></span
  >`;

/** `9f86d081….mp4`: the name of an upload is the hash of its bytes. */
const shortName = (url: string): string => url.slice(url.lastIndexOf('/') + 1).replace(/^([0-9a-f]{8})[0-9a-f]{56}/, '$1…');

/** `.webm` is the end of both: of a sound where only sounds are taken. */
const typeOf = (url: string, types: readonly string[]): string | undefined => {
  const type = typeOfEnd(url);
  return types.find((one) => one === type || one === type?.replace('video/', 'audio/')) ?? types[0];
};
