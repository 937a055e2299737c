import { actingUserId } from '@tandem/caller';
import { formCreated, type forms } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { asForm, checkAskAtMost, checkNotified, completeFields, type FormTools } from './form.ts';

export const createForm = (tools: FormTools): Handler<typeof forms.createForm> => ({
  check: ({ body, caller }) => checkNotified(tools, body.notifyUserIds, caller),
  async run({ body, caller, tx, emit }) {
    const fields = completeFields(body.fields);
    checkAskAtMost({ fields, askAtMost: body.askAtMost ?? null });
    const notifyUserIds = [...new Set(body.notifyUserIds)];
    const createdBy = actingUserId(caller) ?? null;
    const form = asForm(await tx.form.create({ data: { ...body, fields, notifyUserIds, createdBy } }), tools);
    emit(formCreated, { data: { formId: form.id }, record: form });
    return form;
  },
});
