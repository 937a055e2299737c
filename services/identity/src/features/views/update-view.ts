import { type views, viewUpdated } from '@tandem/identity-contract';
import { diff, fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkSearch, listOf } from './lists.ts';
import { asView, checkVisibility, lockView } from './view.ts';

export const updateView =
  ({ ids }: Tools): Handler<typeof views.updateView> =>
  async ({ params, body, caller, tx, emit, ifMatch }) => {
    const before = await lockView(tx, params.id, caller);
    ifMatch(before);
    const list = listOf(before.resource, caller.permissions);
    if (body.visibility !== before.visibility) checkVisibility(body.visibility, caller);
    const decode: Parameters<typeof checkSearch>[2] = (type, code) => ids.decode(type, caller.tenantId, code);
    const search = body.search === undefined ? undefined : checkSearch(list, body.search, decode);
    const { isEmpty, values, audit } = diff(before, { ...body, ...(search !== undefined && { search }) });
    if (isEmpty) return asView(before);
    const [row] = await tx.view.updateManyAndReturn({
      where: { id: before.id },
      data: { ...values, version: { increment: 1 } },
    });
    if (!row) throw fail('not_found');
    const view = asView(row);
    const { id: viewId, resource, name } = view;
    emit(viewUpdated, {
      data: { viewId, resource, name, fields: Object.keys(values) },
      record: view,
      changes: audit,
    });
    return view;
  };
