import type { forms } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import {
  asForm,
  checkAskAtMost,
  checkNotified,
  checkPublishable,
  checkTransition,
  completeFields,
  type FormTools,
  lockForm,
  writeForm,
} from './form.ts';

export const updateForm = (tools: FormTools): Handler<typeof forms.updateForm> => ({
  check: ({ body, caller }) => checkNotified(tools, body.notifyUserIds, caller),
  async run({ params, body, tx, emit, ifMatch }) {
    const form = asForm(await lockForm(tx, params.id), tools);
    ifMatch(form);
    if (form.status === 'archived') throw fail('form_archived');
    const { fields, notifyUserIds, status = form.status, ...others } = body;
    if (status !== form.status) checkTransition(form, status);
    const changes = {
      ...others,
      ...(fields && { fields: completeFields(fields) }),
      ...(notifyUserIds && { notifyUserIds: [...new Set(notifyUserIds)] }),
      status,
      ...(status === 'published' && form.status !== status && { publishedAt: new Date() }),
    };
    const changed = { ...form, ...changes };
    checkAskAtMost(changed);
    if (status === 'published') checkPublishable(changed.fields);
    return writeForm({ tx, emit, tools }, form, changes);
  },
});
