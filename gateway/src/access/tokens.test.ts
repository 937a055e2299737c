import { createLog } from '@tandem/process';
import { createTokens } from './tokens.ts';

const part = (text: string) => Buffer.from(text).toString('base64url');
const header = part('{"alg":"RS256","typ":"JWT","kid":"known"}');

it.each([
  ['a payload that is not JSON', `${header}.${part('abc')}.AAAA`],
  ['a header that is not JSON', `${part('abc')}.${part('{}')}.AAAA`],
  ['a header that is no object', `${part('null')}.${part('{}')}.AAAA`],
  ['a key id that is no text', `${part('{"alg":"RS256","kid":{}}')}.${part('{}')}.AAAA`],
])('reads a token with %s as nobody’s', async (_, token) => {
  const tokens = createTokens({ fetchKeys: async () => [], issuer: 'tandem', log: createLog('test') });
  await expect(tokens.read(token, 'platform')).resolves.toBeUndefined();
});
