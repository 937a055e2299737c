import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

// Most countries dial 00 before the code of another one, which never begins with 0. Separators may stand anywhere.
const dialledAbroad = /^[\s().-]*0[\s().-]*0[\s().-]*(?=[1-9])/;

/**
 * A number in E.164; 00 41 44 is +41 44. People write the zero of national numbers into international ones, +49 (0)170 1234567, and the parser
 * knows for which countries it has to go.
 */
export function phoneKey(phone: string | null | undefined): string | null {
  if (!phone) return null;
  return parsePhoneNumberFromString(phone.replace(dialledAbroad, '+'))?.number ?? phone;
}
