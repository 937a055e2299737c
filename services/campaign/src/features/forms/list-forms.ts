import type { forms } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { asForm, type FormTools } from './form.ts';

export const listForms =
  (tools: FormTools): Handler<typeof forms.listForms> =>
  async ({ query: { status }, tx, list }) => {
    const page = await list({ model: tx.form, where: status ? { status } : {}, searchIn: ['name'] });
    return { ...page, items: page.items.map((row) => asForm(row, tools)) };
  };
