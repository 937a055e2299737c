import { compilePaths } from './match.ts';
import { fillPath, pathParameters } from './path.ts';

it('fills the parameters of a path in order, and leaves its verb', () => {
  const path = '/v1/agents/:id/runs/:runId:stop/all:now';
  const asked: string[] = [];
  const filled = fillPath(path, (field) => asked.push(field));
  expect([filled, asked, pathParameters(path)]).toEqual([
    '/v1/agents/1/runs/2:stop/all:now',
    ['id', 'runId'],
    ['id', 'runId'],
  ]);
});

it('uses a value as it is', () => {
  expect(fillPath('/v1/leads/:id', () => '$1{x}')).toBe('/v1/leads/$1{x}');
});

it('matches the rest of a path, unless a literal segment or a parameter matches', () => {
  const paths = ['/files/:id', '/files/:id/info', '/files/:id/content/*path', '/files/:id/content/list'];
  const match = compilePaths(paths.map((path) => ({ method: 'GET', path, value: path })));
  expect(match('GET', '/files/1/content/a%20b/c.html')).toEqual({ found: paths[2], values: ['1', 'a b/c.html'] });
  expect(match('GET', '/files/1/content/list')).toEqual({ found: paths[3], values: ['1'] });
  expect(match('GET', '/files/1/content/list/x')).toEqual({ found: paths[2], values: ['1', 'list/x'] });
  expect(match('GET', '/files/1/content')).toBeUndefined();
  expect(match('GET', '/files/1/content/')).toBeUndefined();
  expect(match('POST', '/files/1/content/a/b')).toEqual({ allowed: ['GET', 'HEAD', 'OPTIONS'] });
  expect(fillPath('/files/:id/content/*path', (field) => field)).toBe('/files/id/content/path');
});

it('matches the paths that allow the method, and lists the methods of all', () => {
  const entries = [
    { method: 'GET', path: '/search/leads' },
    { method: 'POST', path: '/search/:type' },
  ];
  const match = compilePaths(entries.map((entry) => ({ ...entry, value: entry })));
  expect(match('GET', '/search/leads')).toEqual({ found: entries[0], values: [] });
  expect(match('POST', '/search/leads')).toEqual({ found: entries[1], values: ['leads'] });
  expect(match('PUT', '/search/leads')).toEqual({ allowed: ['GET', 'POST', 'HEAD', 'OPTIONS'] });
  expect(match('GET', '/search/partners')).toEqual({ allowed: ['POST', 'OPTIONS'] });
});
