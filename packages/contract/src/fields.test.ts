import { z } from 'zod';
import { name } from './fields.ts';

describe('a name', () => {
  it('is one line: control characters and line breaks become spaces', () => {
    expect(name().parse(' Ada\r\nbcc: eve\u0085\u2028Love\u0007lace\u009f ')).toBe('Ada bcc: eve Love lace');
    expect(z.encode(name(), 'Ada\tLovelace')).toBe('Ada Lovelace');
    expect(name().safeParse('\r\n\u2029').error?.issues).toMatchObject([{ message: 'Must not be empty' }]);
    expect(name().safeParse('A\0B').success).toBe(false);
  });
});
