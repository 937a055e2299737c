import { playerOrigin } from './player-origin.ts';

const settings = (fields: object) => ({ PUBLIC_URL: 'https://api.example.com/', ...fields }) as never;

it('a package has no origin on the host of the API, and that of a host of its own', () => {
  expect(playerOrigin(settings({ SCORM_CONTENT_URL: '' }))).toEqual({
    url: 'https://api.example.com',
    sandbox: expect.not.stringContaining('allow-same-origin'),
  });
  expect(playerOrigin(settings({ SCORM_CONTENT_URL: 'https://learn.example.com/' }))).toEqual({
    url: 'https://learn.example.com',
    sandbox: expect.stringContaining('allow-same-origin'),
  });
});

it('refuses the host of the API, also with another port', () => {
  for (const url of ['https://api.example.com', 'http://API.example.com:8080'])
    expect(() => playerOrigin(settings({ SCORM_CONTENT_URL: url }))).toThrow('another host');
});
