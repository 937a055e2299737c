import { createCors } from './headers.ts';

const request = (origin?: string) => ({ headers: { ...(origin !== undefined && { origin }) } }) as never;

describe('with listed origins', () => {
  const cors = createCors({ origins: 'https://app.example.com', publicUrl: 'https://api.example.com' }, []);
  const headersOf = (origin: string) => {
    const headers: Record<string, string> = {};
    cors.add(request(origin), headers);
    return headers;
  };

  it('only these can read responses, with cookies', () => {
    expect(headersOf('https://app.example.com')).toMatchObject({
      'Access-Control-Allow-Origin': 'https://app.example.com',
      'Access-Control-Allow-Credentials': 'true',
    });
    expect(headersOf('null')).toEqual({});
  });

  it('responses for any origin can be read by the pages of a sandbox, without cookies', () => {
    for (const origin of ['null', 'https://app.example.com']) {
      const headers = headersOf(origin);
      cors.addAny(headers);
      expect(headers['Access-Control-Allow-Origin']).toBe('*');
      expect(headers['Access-Control-Allow-Credentials']).toBeUndefined();
    }
  });
});
