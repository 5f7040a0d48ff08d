import { html, type TemplateResult } from 'lit-html';
import type { SignInMethods } from '../api/auth.ts';

/** One step of signing in, with its own state; `render` is called after every change. */
export interface Step {
  readonly title: string;
  readonly render: () => TemplateResult;
}

/** A step that says something above its form or its button. */
export const textStep = (title: string, text: string | readonly unknown[], below: () => TemplateResult): Step => ({
  title,
  render: () =>
    html`<p>${text}</p>
      ${below()}`,
});

/** What a step may use of the page. */
export interface SignInPage {
  readonly methods: SignInMethods;
  /** The hash of the screen that the person wants; '': the first one. */
  readonly to: string;
  redraw(): void;
  /** Goes to another step, with the focus on its first input. */
  open(step: Step): void;
  /** To the form for e-mail and password, or what there is in its place. @param note said above it */
  start(note?: string): void;
  /** The person is let in: leaves for the tool. */
  leave(): void;
}
