import type { forms } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asForm, type FormTools } from './form.ts';

export const getForm =
  (tools: FormTools): Handler<typeof forms.getForm> =>
  async ({ params, tx }) => {
    const row = await tx.form.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    return asForm(row, tools);
  };
