// Names from which pairs are generated.
const list = (text: string) => text.trim().split(/\s+/);

export const firstNames =
  list(`Ada Alexander Andrew Anthony Barbara Benjamin Catherine Charlotte Christopher Daniel David Edward
  Elizabeth Emily Frederick Gregory Hannah Henrik Isabella Jakob Jennifer Johannes Joseph Katarzyna Lawrence Magdalena Margaret
  Matthew Michael Nicholas Oliver Patricia Philipp Rebecca Richard Robert Samuel Sebastian Stephen Susanne Theodore Thomas Timothy
  Valentina Victoria Vincent William Yannick Zuzana Anneliese`);
export const lastNames =
  list(`Albrecht Andersson Baumgartner Bennett Bergmann Castellano Coleman Dimitriou Eriksen Fairchild Fischer
  Fontaine Gallagher Giordano Hamilton Hoffmann Ivanova Jankowski Karlsson Kowalski Lindqvist Lombardi Marchetti Meyer Moreau Müller
  Nakamura Novotny Obermeier Petersen Pfeiffer Radcliffe Richter Rodriguez Schneider Sørensen Sullivan Takahashi Thornton Ullmann
  Vandenberg Vasquez Wagner Weatherby Whitfield Wójcik Yamamoto Zimmermann`);
export const nicknames = new Map(
  list(`Alexander-Alex Andrew-Andy Anthony-Tony Benjamin-Ben Catherine-Kate Christopher-Chris Daniel-Dan Edward-Ted Elizabeth-Liz
  Frederick-Fred Gregory-Greg Jakob-Jack Jennifer-Jenny Joseph-Joe Margaret-Peggy Matthew-Matt Michael-Mike Nicholas-Nick
  Patricia-Pat Philipp-Phil Rebecca-Becky Richard-Dick Robert-Bob Samuel-Sam Stephen-Steve Thomas-Tom Timothy-Tim Vincent-Vince
  Victoria-Vicky William-Bill`).map((pair) => pair.split('-') as [string, string]),
);
export const publicHosts = list('gmail.com yahoo.com outlook.com gmx.de web.de hotmail.com icloud.com');
export const companyWords =
  list(`Acorn Alpine Amber Anchor Apex Arbor Aurora Beacon Birch Bluestone Brightwater Cedar Cobalt Compass
  Copper Coral Crescent Delta Ember Evergreen Falcon Granite Harbor Hawthorn Horizon Ironwood Juniper Keystone Lakeside Lantern Magnolia
  Maple Meridian Northwind Oakridge Orchard Pinnacle Quartz Redwood Riverbend Sapphire Silverline Summit Thistle Timber Vanguard Willow
  Windmill Zenith`);
export const trades = list(
  'Software Foods Textiles Machines Optics Printing Furniture Chemicals Media Robotics Systems Ceramics Packaging Motors',
);
export const legalForms = list('GmbH AG Inc. Ltd LLC B.V. S.A. AB');
export const cities = list('Berlin Hamburg Vienna Zurich Leeds Lyon Porto Malmö Gdańsk Utrecht');
