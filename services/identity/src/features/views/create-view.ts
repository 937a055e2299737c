import { viewCreated, type views } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkSearch, listOf } from './lists.ts';
import { asView, checkVisibility, viewerOf } from './view.ts';

const viewsOfUserMax = 200;

export const createView =
  ({ ids }: Tools): Handler<typeof views.createView> =>
  async ({ body, caller, tx, emit }) => {
    const ownerId = viewerOf(caller);
    const list = listOf(body.resource, caller.permissions);
    checkVisibility(body.visibility, caller);
    const search = checkSearch(list, body.search, (type, code) => ids.decode(type, caller.tenantId, code));
    // The lock keeps two requests from passing the maximum together.
    await tx.user.lockFirst({ where: { id: ownerId } });
    if ((await tx.view.count({ where: { ownerId } })) >= viewsOfUserMax) throw fail('too_many_views');
    const { resource, name, layout, visibility, position } = body;
    const row = await tx.view.create({
      data: { resource, name, search, layout, visibility, position, ownerId, viewEnvironment: caller.environment },
    });
    const view = asView(row);
    emit(viewCreated, { data: { viewId: view.id, resource, name }, record: view });
    return view;
  };
