import {
  type EmbeddingProvider,
  embedded,
  embeddingProvider,
  startWithProvider,
  vectorOf,
} from '../../embedding.test-service.ts';
import { found, indexAll, type Service } from '../../search.test-service.ts';

const documents = 6_000;
const questions = 40;
const shown = 10;

let provider: EmbeddingProvider;
let service: Service;
beforeAll(async () => {
  provider = await embeddingProvider();
  service = await startWithProvider(provider);
});
afterAll(async () => {
  await service?.close();
  await provider?.close();
});

/** A generator of pseudo-random integers, so that a failure can be repeated. */
function random(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function similarity(one: number[], other: number[]): number {
  const dot = (a: number[], b: number[]) => a.reduce((sum, value, at) => sum + value * (b[at] as number), 0);
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
}

it('of more documents than are compared, the most similar ones are found by the vectors of a provider', async () => {
  const below = random(5);
  const word = () => `w${below(2_000).toString(36)}`;
  const texts = Array.from({ length: documents }, () => Array.from({ length: 4 }, word));
  const api = service.as();
  await indexAll(
    api,
    texts.map((words, n) => ({ type: 'lead', id: `d${n}`, data: { name: words.join(' ') } })),
  );
  await embedded(service, api);
  const vectors = texts.map((words) => vectorOf(words.join(' ')));
  let [all, hit] = [0, 0];
  for (let n = 0; n < questions; n++) {
    // Words of a document and one that it does not have.
    const q = [...(texts[below(documents)] as string[]).slice(1), word()].join(' ');
    const asked = vectorOf(q);
    const best = vectors.map((vector) => similarity(asked, vector)).sort((a, b) => b - a)[shown - 1] as number;
    const ids = await found(api, q, { mode: 'semantic', limit: `${shown}` });
    all += shown;
    // Documents that are as similar as the last of the best ones are as good.
    hit += ids.filter((id) => similarity(asked, vectors[Number(id.slice(1))] as number[]) >= best - 0.005).length;
  }
  expect(hit / all).toBeGreaterThanOrEqual(0.9);
}, 240_000);
