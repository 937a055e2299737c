import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/**
 * A number in E.164. People write the zero of national numbers into international ones, +49 (0)170 1234567, and the parser
 * knows for which countries it has to go.
 */
export function phoneKey(phone: string | null | undefined): string | null {
  if (!phone) return null;
  return parsePhoneNumberFromString(phone)?.number ?? phone;
}
