import { Router } from 'express';
import { schemaCompiler } from '../base/schema-compiler.ts';
import { schemaFaults } from '../base/schema-faults.ts';
import { sendJson } from '../http/answers/send-json.ts';
import { methodNotAllowed } from '../http/problems/error-handler.ts';
import { problem, sendProblem } from '../http/problems/problem.ts';
import { readJson } from '../http/request/read-json.ts';
import { actorOf } from '../api/admin-gate.ts';
import { ENTITY_KINDS, readEntityId } from './entity-kind.ts';
import { readPage, searchOf } from './list-query.ts';
import { COMMENTED, NEW_COMMENT_SCHEMA, type Commented, type CommentStore } from './comment-store.ts';

/** Comments of a page. */
export const COMMENT_PAGE = { default: 50, max: 200 };

const validate = schemaCompiler().compile<{ readonly text: string }>(NEW_COMMENT_SCHEMA);

/** Comments on campaigns and line items: who wrote what, and when. */
export const commentRoutes = (store: CommentStore): Router => {
  const router = Router();
  for (const table of Object.keys(COMMENTED) as Commented[]) {
    const kind = ENTITY_KINDS[table];
    const missing = problem('not_found', `There is no ${kind.words} with this id.`);
    const route = router.route(`/${table}/:id/comments`);
    route.get(async (req, res) => {
      const page = readPage(searchOf(req), COMMENT_PAGE.default, COMMENT_PAGE.max);
      if (!page.ok) return sendProblem(res, page.problem);
      const id = readEntityId(kind, String(req.params['id']));
      const found = id === undefined ? undefined : await store.list(table, Number(id), page);
      if (!found) return sendProblem(res, missing);
      sendJson(res, 200, found);
    });
    route.post(async (req, res) => {
      const body = await readJson(req);
      if (!body.ok) return body.problem && sendProblem(res, body.problem);
      if (!validate(body.value))
        return sendProblem(res, problem('invalid_request', 'The comment has a fault.', schemaFaults(validate.errors)));
      const id = readEntityId(kind, String(req.params['id']));
      const added = id === undefined ? undefined : await store.add(table, Number(id), actorOf(res), body.value.text.trim());
      if (!added) return sendProblem(res, missing);
      sendJson(res, 201, added);
    });
    route.all(methodNotAllowed('GET, HEAD, POST'));
  }
  const one = router.route('/comments/:id');
  one.delete(async (req, res) => {
    const id = readEntityId(ENTITY_KINDS.line_items, req.params.id);
    if (id === undefined || !(await store.remove(Number(id), actorOf(res))))
      return sendProblem(res, problem('not_found', 'There is no comment of yours with this id.'));
    res.writeHead(204, { 'Cache-Control': 'no-store' }).end();
  });
  one.all(methodNotAllowed('DELETE'));
  return router;
};
