import type { internalViews, views } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createView } from './create-view.ts';
import { deleteView } from './delete-view.ts';
import { findView } from './find-view.ts';
import { getView } from './get-view.ts';
import { listViews } from './list-views.ts';
import { updateView } from './update-view.ts';

export const viewHandlers = (tools: Tools) =>
  ({
    createView: createView(tools),
    listViews,
    getView,
    updateView: updateView(tools),
    deleteView,
    findView,
  }) satisfies Handlers<typeof views & typeof internalViews, Tx>;
