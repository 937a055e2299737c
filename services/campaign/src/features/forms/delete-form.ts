import { formDeleted, type forms } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { usersOf } from '../work/users-of.ts';
import { asForm, type FormTools, lockForm } from './form.ts';

export const deleteForm =
  (tools: FormTools): Handler<typeof forms.deleteForm> =>
  async (context) => {
    const { params, tx, emit, ifMatch } = context;
    const form = asForm(await lockForm(tx, params.id), tools);
    ifMatch(form);
    if (form.status === 'published') throw fail('form_published');
    // Pages lock the form that they link to, so none can link to it meanwhile.
    const where = { formId: form.id };
    if (await tx.landingPage.count({ where })) {
      const pages = { type: 'landing_page', permission: 'campaigns:read' } as const;
      throw fail('form_in_use', await usersOf(context, pages, (only) => tx.landingPage.findMany({ where, ...only })));
    }
    await tx.form.deleteMany({ where: { id: form.id } });
    emit(formDeleted, { data: { formId: form.id }, record: form });
    return { id: form.id, deleted: true };
  };
