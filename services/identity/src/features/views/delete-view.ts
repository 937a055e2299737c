import { viewDeleted, type views } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { asView, lockView } from './view.ts';

export const deleteView: Handler<typeof views.deleteView> = async ({ params, caller, tx, emit, ifMatch }) => {
  const view = asView(await lockView(tx, params.id, caller));
  ifMatch(view);
  await tx.view.deleteMany({ where: { id: view.id } });
  emit(viewDeleted, { data: { viewId: view.id, resource: view.resource, name: view.name }, record: view });
  return { id: view.id, deleted: true };
};
