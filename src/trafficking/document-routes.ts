import { createOpenApiDocument } from '../api/openapi-document.ts';
import { refusalOf } from '../api/call-rights.ts';
import { answer, lastingAnswer, type Handlers } from '../api/route.ts';
import { madeLater } from '../base/made-later.ts';
import { allRoutes, STAFF_API, type DOCUMENT_API } from './trafficking-api.ts';

export interface DocumentRoutesOptions {
  readonly allowedEvents: readonly string[];
  /** '': the origin that serves the document. */
  readonly publicUrl: string;
}

/** The document of all routes, made once; and those of a caller, by the rule that refuses the others. */
export const documentRoutes = ({ allowedEvents, publicUrl }: DocumentRoutesOptions): Handlers<typeof DOCUMENT_API> => {
  const document = madeLater(() => lastingAnswer({ ...createOpenApiDocument(allRoutes(allowedEvents), publicUrl) }));
  const routes = Object.values(STAFF_API);
  return {
    getOpenApiDocument: () => document(),
    listMyRoutes: (_asked, { caller }) =>
      answer(routes.filter((route) => !refusalOf(route, caller)).map(({ method, path }) => ({ method, path }))),
  };
};
