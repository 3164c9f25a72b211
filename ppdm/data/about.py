"""What to know of the bundled tables: their meaning, their values' order, what is sensitive, whom to cite."""

from typing import Any

_UCI = "CC BY 4.0, UCI Machine Learning Repository"
_FINDING = "a medical finding about one patient"
_VOTE = "how one person voted; it stands for any sensitive yes/no answer"

ABOUT: dict[str, dict[str, Any]] = {
    "pima": {
        "description": (
            "Women of Pima heritage, at least 21 years old: eight measurements, and whether diabetes was diagnosed "
            "within five years. No value is marked as missing, but zeros stand for missing ones: plas 5, pres 35, "
            "skin 227, insu 374, mass 11. Li, Shaw & Lin (2003) split it at random into 576 training and 192 test "
            "records and do not say which."
        ),
        "licence": f"{_UCI} (withdrawn there later)",
        "citation": (
            "Smith, Everhart, Dickson, Knowler & Johannes (1988). Using the ADAP learning algorithm to forecast the "
            "onset of diabetes mellitus. Proc. Symposium on Computer Applications and Medical Care, 261-265."
        ),
        "sensitive": {
            "preg": "number of pregnancies: private in Li, Shaw & Lin (2003)",
            "age": "private in Li, Shaw & Lin (2003), and it helps to find a person",
        },
    },
    "boston": {
        "description": (
            "506 census tracts of Boston in 1970: median value of homes (MEDV, thousands of dollars) and thirteen "
            "attributes. The attribute B is racist by construction: 1000 (Bk - 0.63)², where Bk is the share of "
            "Black residents, supposes that segregation raises the value of homes. It is kept so that results can "
            "be compared; show them without it too. MEDV is cut off at 50. Islam & Brankovic (2003) use 300 records "
            "that they do not name, with the top 20 % of MEDV as one class: see classes() and subsample()."
        ),
        "licence": "StatLib archive, Carnegie Mellon University (no licence text comes with the data)",
        "citation": (
            "Harrison & Rubinfeld (1978). Hedonic housing prices and the demand for clean air. "
            "Journal of Environmental Economics and Management 5, 81-102."
        ),
        "sensitive": {
            "B": "derived from the share of Black residents; see the description",
            "LSTAT": "share of residents whom the authors call of lower status",
        },
    },
    "wbc": {
        "description": (
            "Breast cancer, Wisconsin (original): nine properties of cells from a biopsy, graded from 1 to 10, and "
            "the diagnosis. bare_nuclei is missing in 16 records. Du & Zhan (2003) use all 699, Islam & Brankovic "
            "(2003) 350 that they do not name."
        ),
        "licence": _UCI,
        "citation": (
            "Wolberg & Mangasarian (1990). Multisurface method of pattern separation for medical diagnosis applied "
            "to breast cytology. PNAS 87, 9193-9196. doi:10.24432/C5HP4Z"
        ),
        "sensitive": dict.fromkeys(
            (
                "thickness",
                "size_unif",
                "shape_unif",
                "adhesion",
                "epith_size",
                "bare_nuclei",
                "chromatin",
                "nucleoli",
                "mitoses",
            ),
            _FINDING,
        ),
    },
    "votes": {
        "description": (
            "Sixteen key votes of each member of the US House of Representatives in 1984, and the party. NaN is "
            "neither yes nor no (absent, abstained, position unknown), not an unknown value. v1 handicapped infants, "
            "v2 water project cost sharing, v3 adoption of the budget resolution, v4 physician fee freeze, v5 El "
            "Salvador aid, v6 religious groups in schools, v7 anti-satellite test ban, v8 aid to Nicaraguan contras, "
            "v9 MX missile, v10 immigration, v11 synfuels corporation cutback, v12 education spending, v13 superfund "
            "right to sue, v14 crime, v15 duty-free exports, v16 export administration act South Africa."
        ),
        "licence": _UCI,
        "citation": (
            "Schlimmer (1987). Concept acquisition through representational adjustment. Dissertation, University of "
            "California, Irvine; data from the Congressional Quarterly Almanac 1984. doi:10.24432/C5C01P"
        ),
        "sensitive": {f"v{i}": _VOTE for i in range(1, 17)},
    },
    "adult": {
        "description": (
            "People of the US census of 1994 and whether they earned more than 50,000 dollars a year. workclass, "
            "occupation and native-country have missing values. education is ordered by schooling (education-num "
            "is its number, 1 to 16); all other categories stand in the order of the data set's own description. "
            "fnlwgt is a sampling weight, not a property of a person. Du & Zhan (2003) use the first 10,000 records."
        ),
        "licence": _UCI,
        "citation": "Becker & Kohavi (1996). Adult. UCI Machine Learning Repository. doi:10.24432/C5XW20",
        "sensitive": {
            "marital-status": "family life",
            "relationship": "family life",
            "race": "protected against discrimination",
            "sex": "protected against discrimination",
            "native-country": "origin: protected against discrimination",
            "capital-gain": "private finances",
            "capital-loss": "private finances",
        },
    },
}

SCHOOLING = [
    *("Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad"),
    *("Some-college", "Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate"),
]

# Values of nominal attributes in the order of each data set's own description.
LISTED: dict[str, dict[str, tuple[str, ...]]] = {
    "votes": {f"v{i}": ("n", "y") for i in range(1, 17)},
    "adult": {
        attribute: tuple(values.split())
        for attribute, values in {
            "workclass": (
                "Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay Never-worked"
            ),
            "education": (
                "Bachelors Some-college 11th HS-grad Prof-school Assoc-acdm Assoc-voc 9th 7th-8th 12th Masters 1st-4th "
                "10th Doctorate 5th-6th Preschool"
            ),
            "marital-status": (
                "Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent Married-AF-spouse"
            ),
            "occupation": (
                "Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty Handlers-cleaners "
                "Machine-op-inspct Adm-clerical Farming-fishing Transport-moving Priv-house-serv Protective-serv "
                "Armed-Forces"
            ),
            "relationship": "Wife Own-child Husband Not-in-family Other-relative Unmarried",
            "race": "White Asian-Pac-Islander Amer-Indian-Eskimo Other Black",
            "sex": "Female Male",
            "native-country": (
                "United-States Cambodia England Puerto-Rico Canada Germany Outlying-US(Guam-USVI-etc) India Japan "
                "Greece South China Cuba Iran Honduras Philippines Italy Poland Jamaica Vietnam Mexico Portugal "
                "Ireland France Dominican-Republic Laos Ecuador Taiwan Haiti Columbia Hungary Guatemala Nicaragua "
                "Scotland Thailand Yugoslavia El-Salvador Trinadad&Tobago Peru Hong Holand-Netherlands"
            ),
        }.items()
    },
}
