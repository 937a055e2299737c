import type { forms } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { asForm, checkTransition, type FormTools, lockForm, writeForm } from './form.ts';

export const archiveForm =
  (tools: FormTools): Handler<typeof forms.archiveForm> =>
  async ({ params, tx, emit, ifMatch }) => {
    const form = asForm(await lockForm(tx, params.id), tools);
    ifMatch(form);
    checkTransition(form, 'archived');
    return writeForm({ tx, emit, tools }, form, { status: 'archived' });
  };
