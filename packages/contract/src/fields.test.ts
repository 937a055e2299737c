import { z } from 'zod';
import { name, requiredText } from './fields.ts';

describe('a name', () => {
  it('is one line: control characters and line breaks become spaces', () => {
    expect(name().parse(' Ada\r\nbcc: eve\u0085\u2028Love\u0007lace\u009f ')).toBe('Ada bcc: eve Love lace');
    expect(z.encode(name(), 'Ada\tLovelace')).toBe('Ada Lovelace');
    expect(name().safeParse('\r\n\u2029').error?.issues).toMatchObject([{ message: 'Must not be empty' }]);
    expect(name().safeParse('A\0B').success).toBe(false);
  });
});

describe('a required text', () => {
  it('keeps its lines, and is not empty', () => {
    expect(requiredText(100).parse(' First.\n\nSecond. ')).toBe('First.\n\nSecond.');
    expect(requiredText(100).safeParse(' \n ').error?.issues).toMatchObject([{ message: 'Must not be empty' }]);
  });
});
