import { type Fragment, fragment } from '@tandem/tenant-db';
import type { Entity } from './custom-field.ts';

/** The tables of the records that have custom fields. */
export const tables: Record<Entity, Fragment> = {
  lead: fragment`lead`,
  opportunity: fragment`opportunity`,
  account: fragment`account`,
};

/** The columns that hold values for sorting, with their types. */
export const slotColumns: Readonly<Record<string, { column: Fragment; type: Fragment }>> = {
  customText1: { column: fragment`custom_text_1`, type: fragment`text` },
  customText2: { column: fragment`custom_text_2`, type: fragment`text` },
  customText3: { column: fragment`custom_text_3`, type: fragment`text` },
  customText4: { column: fragment`custom_text_4`, type: fragment`text` },
  customNumber1: { column: fragment`custom_number_1`, type: fragment`float8` },
  customNumber2: { column: fragment`custom_number_2`, type: fragment`float8` },
  customNumber3: { column: fragment`custom_number_3`, type: fragment`float8` },
  customNumber4: { column: fragment`custom_number_4`, type: fragment`float8` },
  customDate1: { column: fragment`custom_date_1`, type: fragment`timestamptz` },
  customDate2: { column: fragment`custom_date_2`, type: fragment`timestamptz` },
};
