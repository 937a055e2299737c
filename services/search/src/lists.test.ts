import { search } from '@tandem/search-contract';
import { everyList } from '@tandem/testing';

const notStarted = () => {
  throw new Error('No list of search is read by its sort');
};

everyList(search, notStarted, {
  unsorted: {
    findDuplicates: 'returns the most similar documents first',
    autocomplete: 'reads the first words after a prefix',
  },
});
