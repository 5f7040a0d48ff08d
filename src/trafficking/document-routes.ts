import { createOpenApiDocument } from '../api/openapi-document.ts';
import { answer, type Handlers } from '../api/route.ts';
import { allRoutes, type DOCUMENT_API } from './trafficking-api.ts';

export interface DocumentRoutesOptions {
  readonly allowedEvents: readonly string[];
  /** '': the origin that serves the document. */
  readonly publicUrl: string;
}

/** The document of all routes, made once. */
export const documentRoutes = ({ allowedEvents, publicUrl }: DocumentRoutesOptions): Handlers<typeof DOCUMENT_API> => {
  const document = answer({ ...createOpenApiDocument(allRoutes(allowedEvents), publicUrl) });
  return { getOpenApiDocument: () => document };
};
