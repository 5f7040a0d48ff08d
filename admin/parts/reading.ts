import { html, nothing, type TemplateResult } from 'lit-html';
import type { Page } from '../page.ts';
import type { Api } from '../api/api.ts';
import type { Answer, Problem } from '../api/wire.ts';
import { loading, problemNote } from './parts.ts';

/**
 * A resource of the API that a screen reads when it opens, and again when `load` is called.
 *
 * @param options.keep shows the previous value beside the problem of a later reading
 * @param options.may false: the person may not read it, and nothing is shown
 */
export const createReading = <T>(page: Page, read: (api: Api) => Promise<Answer<T>>, { keep = false, may = true } = {}) => {
  let value: T | undefined;
  let problem: Problem | undefined;
  const load = async (): Promise<void> => {
    if (!may) return;
    const answer = await read(page.api);
    if (answer.ok) value = answer.value;
    else if (!keep) value = undefined;
    problem = answer.ok ? undefined : answer.problem;
    page.redraw();
  };
  void load();
  return {
    load,
    /** The problem of the last reading, and the value or that it is loading. */
    render: (show: (value: T) => TemplateResult) =>
      html`${problem ? problemNote(problem) : nothing} ${value !== undefined ? show(value) : problem || !may ? nothing : loading()}`,
  };
};
