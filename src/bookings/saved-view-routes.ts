import { Router } from 'express';
import { schemaCompiler } from '../base/schema-compiler.ts';
import { schemaFaults } from '../base/schema-faults.ts';
import { sendJson } from '../http/answers/send-json.ts';
import { methodNotAllowed } from '../http/problems/error-handler.ts';
import { problem, sendProblem } from '../http/problems/problem.ts';
import { readJson } from '../http/request/read-json.ts';
import { actorOf } from '../api/admin-gate.ts';
import { ENTITY_KINDS, readEntityId } from './entity-kind.ts';
import { readListQuery } from './list-query.ts';
import { MAX_SAVED_VIEWS, NEW_VIEW_SCHEMA, type NewView, type SavedViewStore } from './saved-view-store.ts';

const validate = schemaCompiler().compile<NewView>(NEW_VIEW_SCHEMA);

/** Searches of lists that a person saved under a name. */
export const savedViewRoutes = (store: SavedViewStore): Router => {
  const router = Router();
  const all = router.route('/saved_views');
  all.get(async (_req, res) => sendJson(res, 200, await store.list(actorOf(res))));
  all.post(async (req, res) => {
    const body = await readJson(req);
    if (!body.ok) return body.problem && sendProblem(res, body.problem);
    if (!validate(body.value)) return sendProblem(res, problem('invalid_request', 'The view has faults.', schemaFaults(validate.errors)));
    const { kind, name, query } = body.value;
    const asked = readListQuery(ENTITY_KINDS[kind], new URLSearchParams(query));
    if (!asked.ok) {
      const faults = asked.problem.errors ?? [{ pointer: '', detail: asked.problem.detail }];
      const inQuery = faults.map(({ pointer, detail }) => ({ pointer: `/query${pointer}`, detail }));
      return sendProblem(res, problem('invalid_request', 'The view has faults.', inQuery));
    }
    const saved = await store.save(actorOf(res), { kind, name: name.trim(), query });
    if (!saved) return sendProblem(res, problem('conflict', `You have ${MAX_SAVED_VIEWS} saved views: delete one first.`));
    sendJson(res, 201, saved);
  });
  all.all(methodNotAllowed('GET, HEAD, POST'));
  const one = router.route('/saved_views/:id');
  one.delete(async (req, res) => {
    const id = readEntityId(ENTITY_KINDS.line_items, req.params.id);
    if (id === undefined || !(await store.remove(Number(id), actorOf(res))))
      return sendProblem(res, problem('not_found', 'There is no saved view of yours with this id.'));
    res.writeHead(204, { 'Cache-Control': 'no-store' }).end();
  });
  one.all(methodNotAllowed('DELETE'));
  return router;
};
