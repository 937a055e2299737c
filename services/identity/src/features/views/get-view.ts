import type { views } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { asView, readView } from './view.ts';

export const getView: Handler<typeof views.getView> = async ({ params, caller, tx }) =>
  asView(await readView(tx, params.id, caller));
