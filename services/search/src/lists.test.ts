import { search } from '@tandem/search-contract';
import { everyList } from '@tandem/testing';
import { type Service, startSearch } from './search.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startSearch();
});
afterAll(() => service?.close());

everyList(search, () => service, {
  unsorted: {
    findDuplicates: 'returns the most similar documents first',
    autocomplete: 'reads the first words after a prefix',
  },
});
