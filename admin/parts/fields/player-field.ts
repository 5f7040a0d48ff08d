import { html, nothing, type TemplateResult } from 'lit-html';
import { VIDEO_TYPES } from '../../../src/catalog/model/video-ad.ts';
import { VAST_VERSIONS } from '../../../src/catalog/model/video-rules.ts';
import type { Form } from '../../bookings/forms/form.ts';
import { POSITION_WORDS, SKIP_WORDS } from '../../words/player-words.ts';
import { t } from '../../words/texts.ts';
import { breakLine } from '../break-line.ts';
import { button, checkBox } from '../parts.ts';
import { select, type Choices } from '../select.ts';
import { fieldGroup, idOf, type FieldOptions } from './field.ts';
import { input, smallField } from './input.ts';
import { playerOf, type BreakDraft, type PlayerDraft, type PodDraft } from './player-draft.ts';
import { rowsOf, type Rows } from './rows.ts';

const NEW_BREAK: BreakDraft = { at: 'start', ads: '2', seconds: '60' };
const NEW_POD: PodDraft = { ads: '2', seconds: '60' };

const choicesOf = (words: Readonly<Record<string, string>>, none: string): Choices => [['', none], ...Object.entries(words)];
const VAST_CHOICES: Choices = [
  ['', t`what the tag says, or 4.2`],
  ...VAST_VERSIONS.map((version) => [version, `VAST ${version}`] as const),
];

/** Which ads the player of a placement takes, how many in a break, and the breaks of its film on a line. */
export const playerField = (form: Form, options: FieldOptions): TemplateResult =>
  fieldGroup(form, options, ({ invalid }) => {
    const now = (): PlayerDraft => form.read(options.pointer) as PlayerDraft;
    const draft = now();
    const write = (part: Partial<PlayerDraft>): void => form.write(options.pointer, { ...now(), ...part });
    const addId = `${idOf(options.pointer)}-add`;
    const breaks = rowsOf(
      () => now().breaks,
      (rows) => write({ breaks: rows }),
      addId,
    );
    const choice = (name: 'position' | 'skip' | 'vast', label: string, choices: Choices) =>
      smallField(
        label,
        select(label, draft[name], choices, (chosen) => write({ [name]: chosen })),
      );
    const number = (name: 'minDuration' | 'maxDuration' | 'perSecond', label: string, placeholder: string, unit: string) =>
      smallField(
        label,
        html`<span class="with-unit">
          ${input({ control: { invalid }, inputMode: 'decimal', placeholder, value: draft[name], onInput: (typed) => write({ [name]: typed }) })}
          <span>${unit}</span>
        </span>`,
      );
    const type = (mime: string) =>
      checkBox(
        mime,
        draft.mimes.includes(mime),
        (isOn) => write({ mimes: isOn ? [...draft.mimes, mime] : draft.mimes.filter((one) => one !== mime) }),
        'check',
      );
    // Types that were set otherwise stay choices.
    const types = [...new Set([...VIDEO_TYPES, ...draft.mimes])];
    return html`<div class="player-rules">
        ${choice('position', t`Where it plays`, choicesOf(POSITION_WORDS, t`not said`))}
        ${choice('skip', t`Skipping`, choicesOf(SKIP_WORDS, t`as the ad says`))} ${choice('vast', t`What it reads`, VAST_CHOICES)}
        ${number('minDuration', t`Shortest ad`, t`any`, t`seconds`)} ${number('maxDuration', t`Longest ad`, t`any`, t`seconds`)}
        ${number('perSecond', t`Lowest bid for each second`, t`none`, t`per thousand`)}
      </div>
      <fieldset class="player-types">
        <legend>${t`Types of files, of which an ad has one`}</legend>
        ${types.map(type)}
      </fieldset>
      ${podRules(draft, write)} ${breakRules(draft, breaks, addId)}`;
  });

type Write = (part: Partial<PlayerDraft>) => void;

const podRules = ({ pod, breaks }: PlayerDraft, write: Write): TemplateResult | typeof nothing => {
  if (breaks.length > 0 && !pod) return nothing;
  return html`<div class="cap">
    ${checkBox(t`Several ads, one after the other`, pod !== undefined, (isOn) => write({ pod: isOn ? NEW_POD : undefined }), 'check')}
    ${pod ? podInputs(pod, t`of the pod`, (part) => write({ pod: { ...pod, ...part } })) : nothing}
  </div>`;
};

const podInputs = (pod: PodDraft, of: string, change: (part: Partial<PodDraft>) => void): TemplateResult => html`
  <span>${t`at most`}</span>
  ${input({ label: t`Number of ads ${of}`, inputMode: 'numeric', value: pod.ads, onInput: (ads) => change({ ads }) })}
  <span>${t`ads in`}</span>
  ${input({ label: t`Seconds ${of}`, inputMode: 'numeric', value: pod.seconds, onInput: (seconds) => change({ seconds }) })}
  <span>${t`seconds together`}</span>
`;

const breakRules = (draft: PlayerDraft, { rows, add, remove, change }: Rows<BreakDraft>, addId: string): TemplateResult =>
  html`<fieldset class="player-breaks">
    <legend>${t`Breaks of a film, for players that read VMAP`}</legend>
    <div class="caps">
      ${rows.map(
        (one, at) =>
          html`<div class="cap break">
            ${input({ label: t`Moment of break ${at + 1}`, placeholder: '00:10:00', value: one.at, onInput: (moment) => change(at, { at: moment }) })}
            ${podInputs(one, t`of break ${at + 1}`, (part) => change(at, part))}
            ${button('×', () => remove(at), 'quiet icon-button', t`Remove break ${at + 1}`)}
          </div>`,
      )}
      <button type="button" id=${addId} class="quiet" @click=${() => add(NEW_BREAK)}>+ ${t`Add a break`}</button>
    </div>
    <p class="help">
      ${t`A moment is start, end, a time such as 00:10:00, a part of the film such as 25%, or #2 for its second opportunity.`}
    </p>
    ${rows.length > 0 ? breakLine(playerOf(draft)) : nothing}
  </fieldset>`;
