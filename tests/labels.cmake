# ctest reads this after it has found the tests of the C++ programs, and gives them their labels:
#   unit          all others; a minute in all
#   privacy       of tests/privacy and tests/memory: the guarantee, and what it rests on
#   golden        reads the files of tests/golden
#   statistical   also: draws noise without a seed, and may fail with the probability that the test states
#   slow          also: takes seconds; not unit
set(statistical
  "^ImagesWithColumns\\.AReleaseAndItsModel"
  "^(ContrastNoise|DefaultMethod|Guarantee|Noise|NoiseSupport)\\."
  "^RoundedGaussian\\.Has"
  "^(ExactBernoulli|DiscreteLaplace|ExactSelection)\\.Has"
  "^PrivBayes\\.(Finds|Holds)"
  "^PrivateBatches\\.AStepOfAllRecordsIs"
  "^PrivateCritics\\.(AnAnswerIs|AreDrawn)"
  "^SecureRandom\\.(NeverRepeats|BitsAreFair)"
  "^ComparedCounts\\.OfTheCountedTable"
  "^(CountAgreement|ReleaseAgreement)\\.Of.*IsTheNoise$"
  "^CountAgreement\\.TellsIndependentColumnsApart"
  "^MeasurementRounds\\.MeasureTheTableWithTheNoiseTheyState$"
  "^Trainer\\.LearnsTheMarginalsThatWereReleased$")
set(golden "^Golden")
set(slow
  "^ImagesWithColumns\\.AReleaseAndItsModel"
  "^ComposedLoss\\.Is"
  "^ComposedPrivacy\\.AnswersTheWorstThatIsAccepted$"
  "^NoiseCalibration\\."
  "^CodeBooks\\.(AShortSchemaCannotAskForAllMemory|TooManyCodesAreRefused)$"
  "^ConstraintsProperty\\.EveryRecordOfANetworkObeysEveryRule$"
  "^LargeTable\\."
  "^TableGenerator\\.LongTablesKeepTheirPotentials$"
  "SurvivesTheOptimalDistinguisher"
  "^Sensitivity\\."
  "^HermiteFeatures\\.(NormNeverExceedsItsBound|AgreeWithLongDouble)$"
  "^HermiteSums\\.AgreeWithTheReferenceToTheGrid$"
  "^HermiteBatch\\.StaysFiniteForEveryFiniteValue$"
  "^MatrixProduct\\.(Large|Small)SizesAreWithinTheBound$")
foreach(label IN ITEMS statistical golden slow)
  string(REPLACE ";" "|" ${label} "${${label}}")
endforeach()
get_cmake_property(variables VARIABLES)
foreach(list IN LISTS variables)
  if(NOT list MATCHES "^[a-z_]+_tests_TESTS$")
    continue()
  endif()
  foreach(test IN LISTS ${list})
    set(labels unit)
    if(list MATCHES "^(privacy|memory)_tests_TESTS$")
      set(labels privacy)
    elseif(test MATCHES "${golden}")
      set(labels golden)
    elseif(test MATCHES "${slow}")
      set(labels "")
    endif()
    foreach(label IN ITEMS statistical slow)
      if(test MATCHES "${${label}}")
        list(APPEND labels ${label})
      endif()
    endforeach()
    set_tests_properties(${test} PROPERTIES LABELS "${labels}")
  endforeach()
endforeach()
