// What crm offers: leads. Of opportunities and tasks it says today what happens to them.
import { leads } from './leads.ts';

export * from './leads.ts';
export * from './opportunities.ts';
export * from './tasks.ts';

export const crm = { ...leads };
