import type { forms } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { asForm, checkPublishable, checkTransition, type FormTools, lockForm, writeForm } from './form.ts';

export const publishForm =
  (tools: FormTools): Handler<typeof forms.publishForm> =>
  async ({ params, tx, emit, ifMatch }) => {
    const form = asForm(await lockForm(tx, params.id), tools);
    ifMatch(form);
    checkTransition(form, 'published');
    checkPublishable(form.fields);
    return writeForm({ tx, emit, tools }, form, { status: 'published', publishedAt: new Date() });
  };
