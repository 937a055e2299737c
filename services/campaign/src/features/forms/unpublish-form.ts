import type { forms } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { asForm, checkTransition, type FormTools, lockForm, writeForm } from './form.ts';

export const unpublishForm =
  (tools: FormTools): Handler<typeof forms.unpublishForm> =>
  async ({ params, tx, emit, ifMatch }) => {
    const form = asForm(await lockForm(tx, params.id), tools);
    ifMatch(form);
    checkTransition(form, 'draft');
    return writeForm({ tx, emit, tools }, form, { status: 'draft' });
  };
