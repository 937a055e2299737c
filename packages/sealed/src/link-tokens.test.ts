import { randomBytes } from 'node:crypto';
import { createLinkTokens, createSeal } from './index.ts';

const seal = createSeal(randomBytes(32).toString('base64'));
const links = createLinkTokens<{ file: number }>(seal, 'files');
const later = () => new Date(Date.now() + 60_000);

describe('a link token', () => {
  it('contains its payload, in URL-safe characters', () => {
    const token = links.issue({ file: 7 }, later());
    expect(encodeURIComponent(token)).toBe(token);
    expect(links.read(token)).toEqual({ file: 7 });
  });

  it('expires', () => {
    expect(links.read(links.issue({ file: 7 }, new Date(Date.now() - 1)))).toBe('expired');
  });

  it('is invalid when it was changed, has another purpose or was issued under another key', () => {
    const token = links.issue({ file: 7 }, later());
    const other = token.startsWith('A') ? 'B' : 'A';
    const stranger = createLinkTokens<{ file: number }>(createSeal(randomBytes(32).toString('base64')), 'files');
    expect(links.read(other + token.slice(1))).toBeUndefined();
    expect(createLinkTokens(seal, 'statements').read(token)).toBeUndefined();
    expect(stranger.read(token)).toBeUndefined();
    for (const rubbish of ['', 'x', '../..', `${token}=`, `${token}A`, `${token}!`, 'a'.repeat(5_000)])
      expect(links.read(rubbish)).toBeUndefined();
  });
});
