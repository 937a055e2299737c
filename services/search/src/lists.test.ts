import { search } from '@tandem/search-contract';
import { everyList } from '@tandem/testing';

const notStarted = () => {
  throw new Error('No list of search is read by its sort');
};

everyList(search, notStarted, {
  unsorted: {
    searchLeads: 'orders by relevance; reads a bounded number of index rows',
    searchOpportunities: 'orders by relevance; reads a bounded number of index rows',
    searchPartners: 'orders by relevance; reads a bounded number of index rows',
    autocomplete: 'reads the first words after a prefix',
  },
});
